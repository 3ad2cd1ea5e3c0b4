import { mergeCatalogues } from '../../shared/ui/i18n/catalogue.ts';
import { enAudit } from './en-audit.ts';
import { enAuthors } from './en-authors.ts';
import { enAdministration } from './en-administration.ts';
import { enFirstMinute } from './en-first-minute.ts';
import { enFigures } from './en-figures.ts';
import { enInspection } from './en-inspection.ts';
import { enOpinions } from './en-opinions.ts';
import { enPolicy } from './en-policy.ts';
import { enPolicyStart } from './en-policy-start.ts';
import { enQuality } from './en-quality.ts';
import { enScope } from './en-scope.ts';
import { enShown } from './en-shown.ts';
import { enReview } from './en-review.ts';
import { enWords } from './en-words.ts';
import { en } from './en.ts';
import { koAudit } from './ko-audit.ts';
import { koAuthors } from './ko-authors.ts';
import { koAdministration } from './ko-administration.ts';
import { koFirstMinute } from './ko-first-minute.ts';
import { koFigures } from './ko-figures.ts';
import { koInspection } from './ko-inspection.ts';
import { koOpinions } from './ko-opinions.ts';
import { koPolicy } from './ko-policy.ts';
import { koPolicyStart } from './ko-policy-start.ts';
import { koQuality } from './ko-quality.ts';
import { koScope } from './ko-scope.ts';
import { koShown } from './ko-shown.ts';
import { koReview } from './ko-review.ts';
import { koWords } from './ko-words.ts';
import { ko } from './ko.ts';

export const catalogues = mergeCatalogues({
  ko: {
    ...ko,
    ...koAdministration,
    ...koReview,
    ...koQuality,
    ...koOpinions,
    ...koFigures,
    ...koPolicy,
    ...koPolicyStart,
    ...koAuthors,
    ...koAudit,
    ...koScope,
    ...koShown,
    ...koInspection,
    ...koWords,
    ...koFirstMinute,
  },
  en: {
    ...en,
    ...enAdministration,
    ...enReview,
    ...enQuality,
    ...enOpinions,
    ...enFigures,
    ...enPolicy,
    ...enPolicyStart,
    ...enAuthors,
    ...enAudit,
    ...enScope,
    ...enShown,
    ...enInspection,
    ...enWords,
    ...enFirstMinute,
  },
});
