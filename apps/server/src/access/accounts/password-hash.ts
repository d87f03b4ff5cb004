import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';

interface Cost {
  readonly log2n: number;
  readonly r: number;
  readonly p: number;
}

/** 32 MiB and some tenths of a second each. Source: OWASP Password Storage Cheat Sheet (N=2^15, r=8, p=3). */
const present: Cost = { log2n: 15, r: 8, p: 3 };
const saltBytes = 16;
const hashBytes = 32;

/** Hashes under way at once: each takes its 32 MiB and a thread of the pool that the database's sockets do not need. */
const slots = 2;
/** Those who wait for a slot; more are sent away. */
const waitingMax = 30;

let busy = 0;
const waiting: (() => void)[] = [];

/** The queue of hashes is full: nobody is served better by a longer one. */
export class HashingBusyError extends Error {
  override readonly name = 'HashingBusyError';
}

/** `scrypt:15:8:3:salt:hash`: the cost stands beside the hash, so that it can be raised later. @throws HashingBusyError */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(saltBytes);
  const hash = await derive(password, salt, present);
  return ['scrypt', present.log2n, present.r, present.p, salt.toString('base64'), hash.toString('base64')].join(':');
}

/**
 * Whether this is the password of that hash. Without one the answer is no, after the same work.
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
    // What it needs is 128 N r; the rest is for its small buffers.
    const maxmem = 128 * N * r * 2;
    return await new Promise((resolve, reject) => {
      // The same letters can be typed in two ways: as one sign, or as a letter and its accent (RFC 8265).
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

/** A slot goes from hand to hand: nobody who comes later gets between. */
function giveSlot(): void {
  const next = waiting.shift();
  if (next === undefined) busy--;
  else next();
}
