import { testCatalogues } from '../../test/support/catalogue-tests.ts';
import { catalogues } from './catalogues.ts';

testCatalogues({
  folder: 'renderer',
  catalogues,
  grammar: ['renderer/components/figures/facts.ts', 'renderer/components/figures/read-figures.ts'],
  least: { sources: 60, asked: 100 },
});
