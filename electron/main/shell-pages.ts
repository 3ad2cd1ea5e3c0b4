/**
 * Serves the program's own status page from inside the packed program, under a scheme of its own
 * and a policy that allows nothing but its three files. The file protocol is not used at all.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { app, protocol } from 'electron';
import { isShellPage, parseAddress, SHELL_SCHEME } from './origins.ts';

const FILES: Record<string, { file: string; type: string }> = {
  '/': { file: 'page.html', type: 'text/html; charset=utf-8' },
  '/page.css': { file: 'page.css', type: 'text/css; charset=utf-8' },
  '/page.js': { file: 'page.js', type: 'text/javascript; charset=utf-8' },
};

const POLICY =
  "default-src 'none'; style-src 'self'; script-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** Makes the scheme known. Before the program is ready. */
export function registerShellScheme(): void {
  protocol.registerSchemesAsPrivileged([{ scheme: SHELL_SCHEME, privileges: { standard: true, secure: true } }]);
}

/** Answers the scheme's addresses. After the program is ready. */
export function serveShellPages(): void {
  protocol.handle(SHELL_SCHEME, async (request) => {
    const entry = isShellPage(request.url) ? FILES[parseAddress(request.url)?.pathname ?? ''] : undefined;
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
