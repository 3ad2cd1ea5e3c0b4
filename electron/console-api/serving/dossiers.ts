/** Dossiers for an inspector (D166): the page that the desktop program prints, and the signed file. */
import { Readable } from 'node:stream';
import { z } from 'zod';
import { askedOfDays, type Asked } from '../../../agent/ledger/dossier/collect.ts';
import { collection, makeDossier, pageOf, type Collection } from '../../../agent/ledger/dossier/make.ts';
import { MOST_PDF_BYTES, pdfFault } from '../../../agent/ledger/dossier/pdf.ts';
import { dossierPageSchema, type DossierPage } from '../../../shared/wire/console/shown.ts';
import { ApiError } from '../../../shared/wire/envelope.ts';
import { actorOf, type Caller, type ConsoleContext } from '../context/context.ts';
import { endpoint } from '../http/endpoint.ts';
import { date, requiredText } from '../http/schemas.ts';
import { refuseUnseen } from '../review/blind-reviews.ts';

const subject = {
  /** The id of an explanation; or a ticker with the first and the last Korean day. */
  explanation: requiredText(128).optional(),
  ticker: requiredText(40).optional(),
  from: date.optional(),
  to: date.optional(),
};

/** The most bytes of a body that holds a PDF in base64. */
const MOST_BODY = 17 * 1024 ** 2;

export const dossierHandlers = {
  'GET /api/v1/dossiers/page': endpoint({
    summary: 'The page of a dossier for people, as the desktop program prints it into one',
    query: z.strictObject(subject),
    refuses: [404, 409],
    result: dossierPageSchema,
    handle: ({ query, context, caller }): DossierPage => ({
      html: pageOf(readingFor(context, caller), collectedFor(context, caller, askedOf(query))),
    }),
  }),
  'POST /api/v1/dossiers': endpoint({
    summary: 'Make a dossier of an explanation, or of a ticker and a span: one signed ZIP, put on record',
    body: z.strictObject({
      ...subject,
      /** What the desktop program has printed of the page, in base64, as far as the client says; a browser sends none. */
      pdf: z
        .base64()
        .max(Math.ceil(MOST_PDF_BYTES / 3) * 4)
        .optional(),
    }),
    mostBody: MOST_BODY,
    refuses: [404],
    media: 'application/zip',
    handle: async ({ body, context, caller, write, reply }): Promise<Readable> => {
      const { pdf, ...rest } = body;
      const asked = askedOf(rest);
      const printed =
        pdf === undefined ? null : { pdf: printedPdf(pdf), client: `client of ${caller.member.displayName}` };
      const { key } = context.signing;
      const checkpoints = await context.signing.checkpoints();
      const collected =
        (printed === null ? null : context.printing.take(caller.member.id, asked, context.clock.now())) ??
        collection(readingFor(context, caller), asked);
      const parts = { ...readingFor(context, caller), write, key, checkpoints };
      const { name, bytes } = await makeDossier(parts, collected, printed);
      void reply
        .header('content-type', 'application/zip')
        .header('content-disposition', `attachment; filename="${name}"`);
      return Readable.from([Buffer.from(bytes)]);
    },
  }),
};

function collectedFor(context: ConsoleContext, caller: Caller, asked: Asked): Collection {
  const collected = collection(readingFor(context, caller), asked);
  context.printing.keep(caller.member.id, asked, collected);
  return collected;
}

/** A decision that the caller is to look at blind is not told here either (D91). */
const readingFor = (context: ConsoleContext, caller: Caller) => ({
  ledger: context.ledger,
  now: context.clock.now(),
  actor: actorOf(caller),
  admit: (ids: readonly string[]) => {
    for (const id of ids) refuseUnseen(context.ledger, caller, id);
  },
});

type Given = { [K in keyof typeof subject]?: string | undefined };

/** @throws ApiError COMMON400 */
function askedOf({ explanation, ticker, from, to }: Given): Asked {
  const days = [ticker, from, to].filter((one) => one !== undefined).length;
  if (explanation !== undefined && days === 0) return { kind: 'EXPLANATION', id: explanation };
  if (explanation === undefined && ticker !== undefined && from !== undefined && to !== undefined && from <= to)
    return askedOfDays(ticker, from, to);
  throw new ApiError('COMMON400', 'Give explanation alone, or ticker with from and to, the earlier day first.');
}

/** Any client can send one, so that the dossier names it as theirs. @throws ApiError COMMON400 */
function printedPdf(pdf: string): Uint8Array {
  const bytes = Buffer.from(pdf, 'base64');
  const fault = pdfFault(bytes);
  if (fault !== null) throw new ApiError('COMMON400', fault);
  return bytes;
}
