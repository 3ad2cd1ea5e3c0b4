import { testCatalogues } from '../../../test/support/catalogue-tests.ts';
import { catalogues } from './catalogues.ts';

testCatalogues({ folder: 'cloud/console', catalogues, least: { sources: 40, asked: 80 } });
