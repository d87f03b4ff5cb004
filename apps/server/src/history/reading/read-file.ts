import { closeSync, createReadStream, openSync, readSync, statSync } from 'node:fs';
import { createGunzip } from 'node:zlib';
import { type RawRecord, RecordSplitter } from '@ringfence/contract';
import { OperatorError } from '../../platform/observability/operator-error.ts';

/** Bytes per read; decompressed data arrives in pieces of 64 KiB. */
const pieceBytes = 256 * 1_024;
const gzipMagic = [0x1f, 0x8b];
const utf16 = { is: 'text in UTF-16', hint: 'Save it in UTF-8.' };
const any = undefined;
/** Formats mistaken for CSV, by their first bytes. UTF-16 may lack a byte order mark: then every other byte is 0. */
const others = [
  { magic: [0x50, 0x4b, 0x03, 0x04], is: 'a zip archive or a spreadsheet', hint: 'Unpack it, or save it as CSV.' },
  { magic: [0xff, 0xfe], ...utf16 },
  { magic: [0xfe, 0xff], ...utf16 },
  { magic: [any, 0, any, 0], ...utf16 },
  { magic: [0, any, 0, any], ...utf16 },
] as const;
const magicBytesMax = 4;

export interface FileRecords {
  readonly records: readonly RawRecord[];
  /** Fraction of the file read so far, 0 to 1. */
  readonly share: number;
}

/**
 * The records of a file, compressed by gzip or not, in batches, in bounded memory.
 *
 * @throws OperatorError when the file can't be read, or its compressed data is damaged
 */
export async function* readRecords(
  path: string,
  options: { readonly delimiter: Uint8Array | undefined },
): AsyncGenerator<FileRecords> {
  try {
    const { size } = statSync(path);
    const head = headOf(path);
    const other = others.find(({ magic }) => beginsWith(head, magic));
    if (other !== undefined) throw new OperatorError(`${path} is ${other.is}.`, `${other.hint} Nothing was imported.`);
    const splitter = new RecordSplitter(options);
    const file = createReadStream(path, { highWaterMark: pieceBytes });
    const share = (): number => (size === 0 ? 1 : file.bytesRead / size);
    const unpacked = beginsWith(head, gzipMagic) ? file.pipe(createGunzip()) : file;
    if (unpacked !== file) file.on('error', (error) => unpacked.destroy(error));
    let isFirst = true;
    for await (const piece of unpacked as AsyncIterable<Buffer>) {
      if (isFirst && hasOnlyCarriageReturns(piece)) throw oldMac(path);
      isFirst = false;
      yield { records: splitter.push(piece), share: share() };
    }
    yield { records: splitter.end(), share: 1 };
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    const isPacking = code?.startsWith('Z_') === true;
    if (!isPacking && code === undefined) throw cause;
    const reason =
      code === 'ENOENT' ? 'there is no such file' : isPacking ? `its gzip is damaged: ${message}` : message;
    throw new OperatorError(`${path} cannot be read: ${reason}.`, 'Nothing was imported.', { cause });
  }
}

/** Such a file would be one line, and too long. A carriage return at the very end may be half of a line break. */
function hasOnlyCarriageReturns(piece: Buffer): boolean {
  const at = piece.indexOf('\r');
  return at >= 0 && at < piece.length - 1 && !piece.includes('\n');
}

function oldMac(path: string): OperatorError {
  return new OperatorError(
    `${path} ends its lines with carriage returns alone, like old Macs.`,
    String.raw`Convert it: tr '\r' '\n' <FILE >NEW-FILE. Nothing was imported.`,
  );
}

function headOf(path: string): Buffer {
  const file = openSync(path, 'r');
  try {
    const head = Buffer.alloc(magicBytesMax);
    return head.subarray(0, readSync(file, head));
  } finally {
    closeSync(file);
  }
}

function beginsWith(head: Buffer, magic: readonly (number | undefined)[]): boolean {
  return magic.every((byte, at) => byte === any || head[at] === byte);
}
