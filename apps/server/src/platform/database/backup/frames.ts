import { OperatorError } from '../../observability/operator-error.ts';

/**
 * A backup is a gzip stream of frames: one byte of kind, four of length, then the content.
 *
 *     "ringfence-backup 1\n"  M manifest  ( T table  D data*  E end of table )*  Z end of backup
 *
 * M, T, E and Z contain JSON; D contains a piece of the output of COPY ... TO STDOUT, in its text format.
 */
export const magic = Buffer.from('ringfence-backup 1\n');

export type FrameKind = 'M' | 'T' | 'D' | 'E' | 'Z';

export interface Frame {
  readonly kind: FrameKind;
  readonly content: Buffer;
}

/** Longest frame. Longer data are split, which bounds the memory of both sides. */
const frameBytesMax = 1024 * 1024;

const headBytes = 5;

export function writeFrame(kind: FrameKind, content: Buffer): Buffer {
  const head = Buffer.alloc(headBytes);
  head.write(kind, 0, 'latin1');
  head.writeUInt32BE(content.byteLength, 1);
  return Buffer.concat([head, content]);
}

export function writeJson(kind: FrameKind, content: unknown): Buffer {
  return writeFrame(kind, Buffer.from(JSON.stringify(content)));
}

/** Joins small pieces and splits large ones: frames of 64 KiB to 1 MiB, whatever the source yields. */
export async function* dataFrames(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let waiting: Buffer[] = [];
  let bytes = 0;
  for await (const piece of source) {
    waiting.push(piece);
    bytes += piece.byteLength;
    if (bytes < gatherBytes) continue;
    yield* cut(Buffer.concat(waiting));
    waiting = [];
    bytes = 0;
  }
  if (bytes > 0) yield* cut(Buffer.concat(waiting));
}

/** Rows arrive one by one, about a kilobyte each; one frame per row would be mostly headers. */
const gatherBytes = 64 * 1024;

function* cut(data: Buffer): Generator<Buffer> {
  for (let at = 0; at < data.byteLength; at += frameBytesMax)
    yield writeFrame('D', data.subarray(at, at + frameBytesMax));
}

/** The file is not a backup, or not a complete one. */
export class BackupDamagedError extends OperatorError {
  constructor(message: string, options?: { readonly cause: unknown }) {
    super(message, 'Restore another backup. The database was not changed.', options);
  }
}

/** Reads frames one by one; buffers one frame and one piece of the source. */
export class FrameReader {
  readonly #source: AsyncIterator<Buffer>;
  #buffer: Buffer = Buffer.alloc(0);

  constructor(source: AsyncIterable<Buffer>) {
    this.#source = source[Symbol.asyncIterator]();
  }

  /** @throws BackupDamagedError when the file does not start with the magic bytes */
  async readMagic(): Promise<void> {
    const found = await this.#take(magic.byteLength);
    if (!found.equals(magic)) throw new BackupDamagedError('This file is not a backup that this release can read.');
  }

  /** @throws BackupDamagedError at the end of the file: a complete backup ends with a Z frame */
  async read(): Promise<Frame> {
    const head = await this.#take(headBytes);
    const kind = head.toString('latin1', 0, 1);
    const length = head.readUInt32BE(1);
    if (!isKind(kind) || length > frameBytesMax) throw new BackupDamagedError('The backup contains an unknown frame.');
    return { kind, content: await this.#take(length) };
  }

  async #take(length: number): Promise<Buffer> {
    const pieces = [this.#buffer];
    let bytes = this.#buffer.byteLength;
    while (bytes < length) {
      const next = await this.#source.next().catch((cause: unknown) => {
        throw new BackupDamagedError('The backup cannot be decompressed.', { cause });
      });
      if (next.done === true) throw new BackupDamagedError('The backup ends too early.');
      pieces.push(next.value);
      bytes += next.value.byteLength;
    }
    const whole = pieces.length === 1 ? this.#buffer : Buffer.concat(pieces);
    this.#buffer = whole.subarray(length);
    return whole.subarray(0, length);
  }
}

function isKind(text: string): text is FrameKind {
  return text.length === 1 && 'MTDEZ'.includes(text);
}
