/** The stored record: the id, and the key that proves it. The key can't leave the browser: it is not extractable. */
export interface DeviceRecord {
  readonly id: string;
  /** Seconds since 1970. */
  readonly createdAt: number;
  readonly keys: CryptoKeyPair;
}

export interface FoundRecord {
  readonly record: DeviceRecord;
  /** Whether it existed before. */
  readonly wasFound: boolean;
}

const databaseName = 'ringfence';
const storeName = 'device';
/** There is one record. */
const recordKey = 'self';

/**
 * The record of this browser; if there is none, stores and returns the one that `make` creates. Uses one connection,
 * because opening one costs most.
 */
export function findOrKeep(make: () => Promise<DeviceRecord>): Promise<FoundRecord> {
  return inDatabase(async (database) => {
    const found = asRecord(await answerOf(readFrom(storeOf(database, 'readonly'))));
    if (found !== undefined) return { record: found, wasFound: true };
    return { record: await keepRecord(database, await make()), wasFound: false };
  });
}

/**
 * Stores the record unless there is one by now, and returns the stored one. One transaction: of two tabs that do this
 * at the same time, both get the record of the first.
 */
async function keepRecord(database: IDBDatabase, record: DeviceRecord): Promise<DeviceRecord> {
  const store = storeOf(database, 'readwrite');
  const found = asRecord(await answerOf(readFrom(store)));
  // A browser that can't store keys throws here, outside of any listener, where it would become an error of the page.
  if (found === undefined) store.put(record, recordKey);
  await endOf(store.transaction);
  return found ?? record;
}

function readFrom(store: IDBObjectStore): IDBRequest<unknown> {
  return store.get(recordKey);
}

/**
 * Every script of the site can write to the store, so the content may be anything. An invalid record counts as absent.
 */
function asRecord(kept: unknown): DeviceRecord | undefined {
  const { id, createdAt, keys } = (kept ?? {}) as Partial<DeviceRecord>;
  const isWhole = isMark(id, createdAt) && keys?.privateKey instanceof CryptoKey && keys.publicKey instanceof CryptoKey;
  return isWhole ? (kept as DeviceRecord) : undefined;
}

/** Whether these are an id and a time in our format. */
export function isMark(id: unknown, createdAt: unknown): boolean {
  return typeof id === 'string' && /^[\w-]{22}$/.test(id) && Number.isSafeInteger(createdAt);
}

export function deleteRecord(): Promise<void> {
  return inDatabase(async (database) => {
    const store = storeOf(database, 'readwrite');
    store.delete(recordKey);
    await endOf(store.transaction);
  });
}

/** The connection is closed afterwards, so that it blocks no upgrade. */
async function inDatabase<T>(run: (database: IDBDatabase) => Promise<T>): Promise<T> {
  const request = indexedDB.open(databaseName, 1);
  request.addEventListener('upgradeneeded', () => request.result.createObjectStore(storeName));
  const database = await answerOf(request);
  try {
    return await run(database);
  } finally {
    database.close();
  }
}

function storeOf(database: IDBDatabase, mode: IDBTransactionMode): IDBObjectStore {
  return database.transaction(storeName, mode).objectStore(storeName);
}

function answerOf<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.addEventListener('success', () => resolve(request.result));
    request.addEventListener('error', () => reject(request.error ?? new Error('no answer')));
  });
}

/** When it is stored, not when the request succeeded. */
function endOf(transaction: IDBTransaction): Promise<void> {
  return new Promise((resolve, reject) => {
    transaction.addEventListener('complete', () => resolve());
    transaction.addEventListener('abort', () => reject(transaction.error ?? new Error('aborted')));
  });
}
