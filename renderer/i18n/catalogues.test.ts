import { testFrontWords } from '../../test/support/front-words.ts';
import { catalogues } from './catalogues.ts';

testFrontWords({
  folder: 'renderer',
  catalogues,
  grammar: ['renderer/figures/facts.ts', 'renderer/figures/read-figures.ts'],
  least: { sources: 60, asked: 100 },
});
