import { base64url } from '../base64url.ts';
import { findOrKeep, type FoundRecord, isMark } from './key-store.ts';
import { newDeviceKeys } from './proof.ts';
import { cookieStore, localStore, type TextStore } from './text-store.ts';

/**
 * The id of this browser on this site, and where it is stored:
 *
 *     IndexedDB      id, time, and the key that signs every token
 *     localStorage   id and time                                     -> the id survives the loss of either
 *     cookie         id and time, only if the option is set
 *
 * A copied id comes without its key, or with another one. An id whose database was cleared comes back with a new key.
 */
export interface DeviceId {
  readonly id: string;
  /** Seconds since 1970, when the id was made. */
  readonly createdAt: number;
  /** Stores that contained the id before this collection. None: it is new. */
  readonly found: readonly Place[];
  /** Absent if the browser can't store keys. */
  readonly keys: CryptoKeyPair | undefined;
  /** Whether the database did not answer in time: its key may be available at another time. */
  readonly isLate: boolean;
}

export type Place = 'indexedDB' | TextStore['name'];

type Mark = Pick<DeviceId, 'id' | 'createdAt'>;

/**
 * The id, created now if there is none. `undefined` if the browser stores nothing for this site.
 *
 * @param deadline after it, the id is returned without the key if the database has not answered
 */
export async function deviceId(withCookie: boolean, deadline: Promise<void>): Promise<DeviceId | undefined> {
  const stores = withCookie ? [localStore, cookieStore] : [localStore];
  const marks = stores.map((store) => ({ store, mark: readMark(store) }));
  const known = marks.find(({ mark }) => mark !== undefined)?.mark;
  const mark = known ?? newMark();
  const { found, isLate } = await recordFor(mark, deadline);
  const { id, createdAt } = found?.record ?? mark;

  const kept = marks.filter(({ store, mark }) => mark?.id === id || writeMark(store, { id, createdAt }));
  if (found === undefined && kept.length === 0) return undefined;
  const places = marks.filter(({ mark }) => mark?.id === id).map(({ store }): Place => store.name);
  return {
    id,
    createdAt,
    found: found?.wasFound === true ? ['indexedDB', ...places] : places,
    keys: found?.record.keys,
    isLate,
  };
}

interface Search {
  readonly found: FoundRecord | undefined;
  readonly isLate: boolean;
}

/** The record with the key. A browser that already has an id but no key gets a new key for it. */
async function recordFor(mark: Mark, deadline: Promise<void>): Promise<Search> {
  const finding = findOrKeep(async () => ({ ...mark, keys: await newDeviceKeys() }));
  // There is no database, or it can't store keys: the id is sent without a proof.
  const search = finding.catch(() => undefined).then((found): Search => ({ found, isLate: false }));
  return Promise.race([search, deadline.then((): Search => ({ found: undefined, isLate: true }))]);
}

function newMark(): Mark {
  return { id: base64url(crypto.getRandomValues(new Uint8Array(16))), createdAt: Math.floor(Date.now() / 1_000) };
}

function readMark(store: TextStore): Mark | undefined {
  try {
    const [id = '', text = ''] = (store.read() ?? '').split('.');
    const createdAt = Number(text);
    return isMark(id, createdAt) ? { id, createdAt } : undefined;
  } catch {
    return undefined;
  }
}

/** Whether the store now contains the mark: some accept it and store nothing. */
function writeMark(store: TextStore, { id, createdAt }: Mark): boolean {
  try {
    store.write(`${id}.${createdAt}`);
    return readMark(store)?.id === id;
  } catch {
    return false;
  }
}
