import { testFrontWords } from '../../test/support/front-words.ts';
import { catalogues } from './catalogues.ts';

testFrontWords({ folder: 'renderer', catalogues, least: { sources: 60, asked: 100 } });
