/** Vite's server for the pages of one console: a changed file shows at once, and calls are proxied to the API. */
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
    // Two servers would overwrite each other's prepared packages.
    cacheDir: path.resolve('node_modules/.cache/pages', port),
    server: {
      host,
      port: Number(port),
      strictPort: true,
      cors: false,
      proxy: {
        // Pages have their own sources below `/api`.
        '^/api/v\\d+/': {
          target: options.api,
          changeOrigin: true,
          // The API accepts requests only from its own pages (D9), and these replace them.
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
