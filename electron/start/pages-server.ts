/** Vite's server for the pages of one console: a change of a file shows at once, and calls go on to the API. */
import path from 'node:path';
import { createServer } from 'vite';

export interface PagesServer {
  url: string;
  close(): Promise<void>;
}

export async function servePages(options: {
  /** The folder of the pages, with its `vite.config.ts`. */
  folder: string;
  listen: string;
  /** The address of the API. */
  api: string;
}): Promise<PagesServer> {
  const { hostname: host, port } = new URL(`http://${options.listen}`);
  const server = await createServer({
    configFile: path.join(options.folder, 'vite.config.ts'),
    logLevel: 'warn',
    // Two servers would write over each other's prepared packages.
    cacheDir: path.resolve('node_modules/.cache/pages', port),
    server: {
      host,
      port: Number(port),
      strictPort: true,
      cors: false,
      proxy: {
        // Pages have sources of their own below `/api`.
        '^/api/v\\d+/': {
          target: options.api,
          changeOrigin: true,
          // The API takes its own pages alone (D9), and these stand for them.
          configure: (proxy) =>
            proxy.on('proxyReq', (request) => {
              if (request.hasHeader('origin')) request.setHeader('origin', options.api);
            }),
        },
      },
    },
  });
  await server.listen();
  return { url: `http://${options.listen}`, close: () => server.close() };
}
