import { testFrontWords } from '../../../test/support/front-words.ts';
import { catalogues } from './catalogues.ts';

testFrontWords({ folder: 'cloud/console', catalogues, least: { sources: 40, asked: 80 } });
