import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';

interface Cost {
  readonly log2n: number;
  readonly r: number;
  readonly p: number;
}

/** 32 MiB and a few tenths of a second per hash. Source: OWASP Password Storage Cheat Sheet (N=2^15, r=8, p=3). */
const present: Cost = { log2n: 15, r: 8, p: 3 };
const saltBytes = 16;
const hashBytes = 32;

/** Maximum number of concurrent hashes: each takes 32 MiB and a thread of the libuv pool, which sockets do not use. */
const slots = 2;
/** Maximum number of waiting callers; more are refused. */
const waitingMax = 30;

let busy = 0;
const waiting: (() => void)[] = [];

/** The queue of hashes is full: a longer queue would help no one. */
export class HashingBusyError extends Error {
  override readonly name = 'HashingBusyError';
}

/**
 * Hashes a password as `scrypt:15:8:3:salt:hash`. The cost is stored with the hash, so that it can be raised later.
 * @throws HashingBusyError
 */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(saltBytes);
  const hash = await derive(password, salt, present);
  return ['scrypt', present.log2n, present.r, present.p, salt.toString('base64'), hash.toString('base64')].join(':');
}

/**
 * Whether the password matches the hash. Without a hash, returns false after the same amount of work.
 *
 * @throws HashingBusyError
 */
export async function isPassword(password: string, stored: string | undefined): Promise<boolean> {
  const [, log2n, r, p, salt, hash] = (stored ?? nobodys).split(':');
  const cost = { log2n: Number(log2n), r: Number(r), p: Number(p) };
  const derived = await derive(password, Buffer.from(salt!, 'base64'), cost);
  return timingSafeEqual(derived, Buffer.from(hash!, 'base64')) && stored !== undefined;
}

const nobodys = `scrypt:${present.log2n}:${present.r}:${present.p}:${Buffer.alloc(saltBytes).toString('base64')}:${Buffer.alloc(hashBytes).toString('base64')}`;

async function derive(password: string, salt: Buffer, { log2n, r, p }: Cost): Promise<Buffer> {
  await takeSlot();
  try {
    const N = 2 ** log2n;
    // scrypt needs 128 N r bytes; the rest is for its small buffers.
    const maxmem = 128 * N * r * 2;
    return await new Promise((resolve, reject) => {
      // The same letter can be typed as one character, or as a letter with a combining accent (RFC 8265).
      scrypt(password.normalize('NFC'), salt, hashBytes, { N, r, p, maxmem }, (error, hash) =>
        error === null ? resolve(hash) : reject(error),
      );
    });
  } finally {
    giveSlot();
  }
}

async function takeSlot(): Promise<void> {
  if (busy < slots) {
    busy++;
    return;
  }
  if (waiting.length >= waitingMax) throw new HashingBusyError('too many passwords are being checked');
  await new Promise<void>((resolve) => waiting.push(resolve));
}

/** Hands the slot to the longest-waiting caller, so that no later one overtakes it. */
function giveSlot(): void {
  const next = waiting.shift();
  if (next === undefined) busy--;
  else next();
}
