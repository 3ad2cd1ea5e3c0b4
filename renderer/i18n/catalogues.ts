import { mergeCatalogues } from '../../shared/ui/i18n/catalogue.ts';
import { enDesk } from './en-desk.ts';
import { en } from './en.ts';
import { koDesk } from './ko-desk.ts';
import { ko } from './ko.ts';

export const catalogues = mergeCatalogues({ ko: { ...ko, ...koDesk }, en: { ...en, ...enDesk } });
