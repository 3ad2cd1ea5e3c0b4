import { testCatalogues } from '../../test/support/catalogue-tests.ts';
import { catalogues } from './catalogues.ts';

testCatalogues({
  folder: 'renderer',
  catalogues,
  least: { sources: 60, asked: 100 },
});
