/** A workbook (XLSX) as the answer of an endpoint. */
import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { XLSX } from '../../../shared/wire/media.ts';
import { workbook, type Sheet } from '../../../shared/wire/workbook.ts';

/** @param file the name under which a browser saves it */
export function workbookAnswer(reply: FastifyReply, file: string, sheet: Sheet): Readable {
  void reply.header('content-type', XLSX).header('content-disposition', `attachment; filename="${file}"`);
  return Readable.from(workbook(sheet));
}
