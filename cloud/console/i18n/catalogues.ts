import { mergeCatalogues } from '../../../shared/ui/i18n/catalogue.ts';
import { en } from './en.ts';
import { enCauses } from './en-causes.ts';
import { koCauses } from './ko-causes.ts';
import { enFacts } from './en-facts.ts';
import { enLists } from './en-lists.ts';
import { enPipeline } from './en-pipeline.ts';
import { ko } from './ko.ts';
import { koFacts } from './ko-facts.ts';
import { koLists } from './ko-lists.ts';
import { koPipeline } from './ko-pipeline.ts';
import { enVerdicts } from './en-verdicts.ts';
import { koVerdicts } from './ko-verdicts.ts';

export const catalogues = mergeCatalogues({
  ko: { ...ko, ...koPipeline, ...koFacts, ...koVerdicts, ...koCauses, ...koLists },
  en: { ...en, ...enPipeline, ...enFacts, ...enVerdicts, ...enCauses, ...enLists },
});
