import { mergeCatalogues } from '../../shared/ui/i18n/catalogue.ts';
import { en } from './en.ts';
import { ko } from './ko.ts';

export const catalogues = mergeCatalogues({ ko, en });
