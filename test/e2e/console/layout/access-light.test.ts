/** Every screen in both languages: no violation that axe can find, and a picture to look at. */
import { lookAtScenes } from './access-scenes.ts';

lookAtScenes('light', ['ko', 'en']);
