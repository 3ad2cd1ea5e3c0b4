/** Obstacles to opening a window on this machine, reported before Chromium reports them in its own words. */
import { readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** One sentence without a display, else null. */
export function displayHindrance(
  env: Record<string, string | undefined>,
  platform: NodeJS.Platform = process.platform,
): string | null {
  if (platform !== 'linux' || env['DISPLAY'] || env['WAYLAND_DISPLAY']) return null;
  return 'There is no display to open a window on: start it from a desktop session, set DISPLAY, or open the console in a browser.';
}

/**
 * Arguments that this machine needs, with a notice. Chromium refuses to sandbox its processes for root, so only root
 * runs without; the packed program itself never disables the sandbox.
 */
export function sandboxArguments(isRoot: boolean): { args: string[]; notice: string | null } {
  if (!isRoot) return { args: [], notice: null };
  return {
    args: ['--no-sandbox'],
    notice:
      'Running as root, which Chromium does not sandbox: the window runs with --no-sandbox. Use an ordinary account for real work.',
  };
}

/** One sentence when Linux supports neither form of Chromium's sandbox, else null. */
export function sandboxHindrance(executable: string): string | null {
  if (process.platform !== 'linux' || process.getuid?.() === 0) return null;
  if (mayMakeNamespaces()) return null;
  const helper = join(dirname(executable), 'chrome-sandbox');
  const { uid, mode } = statSync(helper);
  if (uid === 0 && (mode & 0o4755) === 0o4755) return null;
  return `This system lets Chromium make no sandbox of its own. Allow it once: sudo chown root:root '${helper}' && sudo chmod 4755 '${helper}'`;
}

function mayMakeNamespaces(): boolean {
  return (
    setting('kernel/unprivileged_userns_clone') !== '0' &&
    setting('kernel/apparmor_restrict_unprivileged_userns') !== '1' &&
    setting('user/max_user_namespaces') !== '0'
  );
}

function setting(name: string): string | null {
  try {
    return readFileSync(join('/proc/sys', name), 'utf8').trim();
  } catch {
    return null;
  }
}
