/** Every screen in the dark: no colour that axe finds wrong, and a picture to look at. */
import { lookAtScenes } from './access-scenes.ts';

lookAtScenes('dark', ['ko']);
