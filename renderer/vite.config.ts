import { pagesConfig } from '../shared/ui/app/pages.config.ts';
import { catalogues } from './i18n/catalogues.ts';

export default pagesConfig(import.meta.dirname, catalogues);
