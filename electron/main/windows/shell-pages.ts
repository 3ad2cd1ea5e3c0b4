/**
 * Serves the program's own pages (status, setup, manual) from inside the packed program, under their own scheme and a policy
 * that allows only their few files. The file protocol is not used.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { app, protocol } from 'electron';
import { parseAddress, SHELL_SCHEME, shellPageOf, type ShellPage } from '../security/origins.ts';

const TOKENS = { file: 'tokens.css', type: 'text/css; charset=utf-8' };
const STYLE = { file: 'page.css', type: 'text/css; charset=utf-8' };

const FILES: Record<ShellPage, Record<string, { file: string; type: string }>> = {
  status: {
    '/': { file: 'page.html', type: 'text/html; charset=utf-8' },
    '/tokens.css': TOKENS,
    '/page.css': STYLE,
    '/page.js': { file: 'page.js', type: 'text/javascript; charset=utf-8' },
  },
  setup: {
    '/': { file: 'setup.html', type: 'text/html; charset=utf-8' },
    '/tokens.css': TOKENS,
    '/page.css': STYLE,
    '/setup.css': { file: 'setup.css', type: 'text/css; charset=utf-8' },
    '/setup.js': { file: 'setup.js', type: 'text/javascript; charset=utf-8' },
  },
  manual: {
    '/ko.html': { file: 'manual-ko.html', type: 'text/html; charset=utf-8' },
    '/en.html': { file: 'manual-en.html', type: 'text/html; charset=utf-8' },
    '/tokens.css': TOKENS,
    '/page.css': STYLE,
    '/manual.css': { file: 'manual.css', type: 'text/css; charset=utf-8' },
  },
};

const POLICY =
  "default-src 'none'; style-src 'self'; script-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** Registers the scheme. Call before the program is ready. */
export function registerShellScheme(): void {
  protocol.registerSchemesAsPrivileged([{ scheme: SHELL_SCHEME, privileges: { standard: true, secure: true } }]);
}

/** Answers the scheme's addresses. Call after the program is ready. */
export function serveShellPages(): void {
  protocol.handle(SHELL_SCHEME, async (request) => {
    const page = shellPageOf(request.url);
    const entry = page === null ? undefined : FILES[page][parseAddress(request.url)?.pathname ?? ''];
    if (entry === undefined) return new Response(null, { status: 404 });
    const body = await readFile(join(app.getAppPath(), 'shell-page', entry.file), 'utf8');
    return new Response(body, {
      headers: {
        'content-type': entry.type,
        'content-security-policy': POLICY,
        'x-content-type-options': 'nosniff',
        'cache-control': 'no-store',
      },
    });
  });
}
