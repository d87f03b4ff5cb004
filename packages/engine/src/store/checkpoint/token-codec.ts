import type { ByteReader, ByteWriter } from '@ringfence/contract';
import type { TokenMemory, Tokens } from '../../devices/token-memory.ts';

/** Writes both generations of tokens. */
export function writeTokens(writer: ByteWriter, memory: TokenMemory): void {
  const { sinceMs, before, present } = memory.halves;
  writer.int(sinceMs);
  writeHalf(writer, before);
  writeHalf(writer, present);
}

export function readTokens(reader: ByteReader, memory: TokenMemory): void {
  memory.restore(reader.int(), readHalf(reader), readHalf(reader));
}

function writeHalf(writer: ByteWriter, tokens: Tokens): void {
  writer.uint(tokens.size);
  for (const [nonce, seenMs] of tokens) {
    writer.text(nonce);
    writer.int(seenMs);
  }
}

function readHalf(reader: ByteReader): Map<string, number> {
  const tokens = new Map<string, number>();
  const count = reader.uint();
  for (let read = 0; read < count; read++) tokens.set(reader.text(), reader.int());
  return tokens;
}
