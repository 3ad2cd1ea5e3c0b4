export { isFocusLost } from '../keys/lost-focus.ts';
