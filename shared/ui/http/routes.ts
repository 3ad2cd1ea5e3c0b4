/** Calls an API by the rows of its route policy, so that a path unknown to the server cannot be requested. */
import type { Requester, RequestOptions } from './request.ts';

/** The names in the braces of a route: `id` of `GET /a/{id}`. */
export type ParameterOf<Route extends string> = Route extends `${string}{${infer Name}}${infer Rest}`
  ? Name | ParameterOf<Rest>
  : never;

export interface CallOptions<Route extends string> extends RequestOptions {
  params?: Readonly<Record<ParameterOf<Route>, string>>;
}

/** Fills the braces of a path; values are escaped, so an id cannot change the path. */
export function pathOf(path: string, params: Readonly<Record<string, string>> = {}): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = params[name];
    if (value === undefined) throw new RangeError(`The path ${path} needs ${name}.`);
    return encodeURIComponent(value);
  });
}

/** @typeParam Answers the `result` of each route, `METHOD /path` */
export function createCaller<Answers>(request: Requester) {
  return async <Route extends keyof Answers & string>(
    route: Route,
    options: CallOptions<Route> = {},
  ): Promise<Answers[Route]> => {
    const { params, ...rest } = options;
    const [method = '', path = ''] = route.split(' ');
    return (await request(method, pathOf(path, params), rest)) as Answers[Route];
  };
}

export function abortable(signal: AbortSignal | undefined): { signal?: AbortSignal } {
  return signal === undefined ? {} : { signal };
}
