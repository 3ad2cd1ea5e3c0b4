/** Attacks from inside a compromised console page. They run in the page, so each is self-contained. */

/** Attempts to reach the program through the bridge; returns the bridge's functions and the result of each attempt. */
export async function attackBridge(): Promise<Record<string, unknown>> {
  const inside = globalThis as unknown as { causewayProgram: Record<string, object> };
  const bridge = inside.causewayProgram;
  const names = Object.entries(bridge).map(([name, value]) =>
    typeof value === 'function' ? name : `${name}: ${Object.keys(value).join(' ')}`,
  );
  // The oldest escape: a function of the other world would have that world's constructor.
  const make = bridge['report']?.constructor as unknown as (code: string) => () => unknown;
  const behind = make('return typeof process + typeof require + typeof module')();
  const isReplaced = Reflect.set(inside, 'causewayProgram', 1) || Reflect.deleteProperty(inside, 'causewayProgram');
  // Changes in the page's own world do not reach the other side of the bridge.
  const everyFunction: object = Function.prototype;
  const own = Object.getOwnPropertyDescriptor(everyFunction, 'call');
  const overheard: string[] = [];
  Object.defineProperty(everyFunction, 'call', {
    configurable: true,
    get() {
      overheard.push(String(this));
      return own?.value as unknown;
    },
  });
  await (bridge['appear'] as (scheme: unknown) => Promise<void>)('auto');
  if (own !== undefined) Object.defineProperty(everyFunction, 'call', own);
  const frame = document.createElement('iframe');
  frame.src = '/frame';
  const loaded = new Promise((resolve) => frame.addEventListener('load', resolve));
  document.body.append(frame);
  await loaded;
  const isInFrame = frame.contentWindow !== null && 'causewayProgram' in frame.contentWindow;
  frame.remove();
  const isOverheard = overheard.some((code) => /ipcRenderer|invoke/.test(code));
  return { names, behind, isReplaced, isOverheard, isInFrame };
}

const ASKS = {
  usb: 'navigator.usb.requestDevice({ filters: [] })',
  hid: 'navigator.hid.requestDevice({ filters: [] })',
  serial: 'navigator.serial.requestPort()',
  bluetooth: 'navigator.bluetooth.requestDevice({ acceptAllDevices: true })',
  screen: 'navigator.mediaDevices.getDisplayMedia()',
};
export const DEVICES = Object.keys(ASKS) as (keyof typeof ASKS)[];

/** Code that requests a device: `none`, `given`, or the name of the refusal. */
export function askForDevice(device: keyof typeof ASKS): string {
  return `(async () => {
    try {
      const given = await ${ASKS[device]};
      return Array.isArray(given) && given.length === 0 ? 'none' : 'given';
    } catch (error) {
      return error.name;
    }
  })()`;
}
