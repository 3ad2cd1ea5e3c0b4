import { startPage } from '../../shared/ui/app/start-page.tsx';
import { App } from './app.tsx';

startPage(App);
