/** Saved views of lists: they belong to the account, not to one browser. */
import { z } from 'zod';
import { removeView, saveView, viewsOf } from '../../../agent/ledger/accounts/saved-views.ts';
import { SAVED_VIEW_SCREENS, savedViewsSchema, type SavedViewList } from '../../../shared/wire/console/saved-views.ts';
import { checkOf } from '../../../shared/wire/characters.ts';
import { actorOf } from '../context/context.ts';
import { countOwnChange } from '../http/access.ts';
import { endpoint } from '../http/endpoint.ts';
import { idPath, requiredText, text } from '../http/schemas.ts';

const viewBody = z.strictObject({
  screen: z.enum(SAVED_VIEW_SCREENS),
  name: requiredText(60)
    .check(checkOf('title'))
    .refine((name) => name === name.trim(), 'must not begin or end with white space'),
  search: text(2_000).refine((search) => search === '' || search.startsWith('?'), 'must be empty or begin with ?'),
});

export const savedViewHandlers = {
  'GET /api/v1/session/views': endpoint({
    summary: 'The views of lists that the caller keeps',
    result: savedViewsSchema,
    handle: ({ caller, context }): SavedViewList => ({ items: viewsOf(context.ledger, caller.member.id) }),
  }),

  'PUT /api/v1/session/views': endpoint({
    summary: 'Keep a view under a name; one of the same name and screen is replaced',
    body: viewBody,
    result: savedViewsSchema,
    handle: ({ body, caller, context, write }): Promise<SavedViewList> => {
      countOwnChange(context, caller);
      const [id, at] = [context.ids.uuid(), context.clock.now().toISOString()];
      return write((tx) => {
        saveView(tx, { id, ...body, actor: actorOf(caller), at });
        return { items: viewsOf(tx, caller.member.id) };
      });
    },
  }),

  'DELETE /api/v1/session/views/{id}': endpoint({
    summary: 'Remove a view',
    path: idPath,
    result: savedViewsSchema,
    handle: ({ path, caller, context, write }): Promise<SavedViewList> => {
      countOwnChange(context, caller);
      return write((tx) => {
        const at = context.clock.now().toISOString();
        removeView(tx, { id: path.id, actor: actorOf(caller), at });
        return { items: viewsOf(tx, caller.member.id) };
      });
    },
  }),
};
