/** Set-up of the browser suite: windows that a test opens close with it. */
import { afterEach, beforeEach } from 'vitest';
import { beginTest, endTest } from './chromium.ts';

beforeEach(beginTest);
afterEach(endTest);
