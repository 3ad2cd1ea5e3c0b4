import { testFrontWords } from '../../test/support/front-words.ts';
import { catalogues } from './catalogues.ts';

testFrontWords({
  folder: 'renderer',
  catalogues,
  grammar: ['renderer/components/figures/facts.ts', 'renderer/components/figures/read-figures.ts'],
  least: { sources: 60, asked: 100 },
});
