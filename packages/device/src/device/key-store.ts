/** What the database keeps: the id, and the key that proves it. The key can't leave the browser: it is not extractable. */
export interface DeviceRecord {
  readonly id: string;
  /** Seconds since 1970. */
  readonly createdAt: number;
  readonly keys: CryptoKeyPair;
}

const databaseName = 'ringfence';
const storeName = 'device';
/** There is one record. */
const recordKey = 'self';

export async function readRecord(): Promise<DeviceRecord | undefined> {
  return asRecord(await inStore('readonly', readFrom));
}

/**
 * Keeps the record unless there is one; answers the one that is kept. One transaction: of two tabs that come at once,
 * both get the record of the first.
 */
export async function keepRecord(record: DeviceRecord): Promise<DeviceRecord> {
  let kept = record;
  await inStore('readwrite', (store) => {
    const request = readFrom(store);
    request.addEventListener('success', () => {
      const found = asRecord(request.result);
      if (found === undefined) store.put(record, recordKey);
      else kept = found;
    });
    return request;
  });
  return kept;
}

function readFrom(store: IDBObjectStore): IDBRequest<unknown> {
  return store.get(recordKey);
}

/** What is kept may be anything: every script of the site can write there. What is no record is as good as nothing. */
function asRecord(kept: unknown): DeviceRecord | undefined {
  const { id, createdAt, keys } = (kept ?? {}) as Partial<DeviceRecord>;
  const isWhole = isMark(id, createdAt) && keys?.privateKey instanceof CryptoKey && keys.publicKey instanceof CryptoKey;
  return isWhole ? (kept as DeviceRecord) : undefined;
}

/** Whether these are an id and a time as we write them. */
export function isMark(id: unknown, createdAt: unknown): boolean {
  return typeof id === 'string' && /^[\w-]{22}$/.test(id) && Number.isSafeInteger(createdAt);
}

export async function deleteRecord(): Promise<void> {
  await inStore('readwrite', (store) => store.delete(recordKey));
}

/** Runs one request and waits for its transaction. The connection is closed, so that it holds up no upgrade. */
async function inStore<T>(mode: IDBTransactionMode, run: (store: IDBObjectStore) => IDBRequest<T>): Promise<T> {
  const database = await openDatabase();
  try {
    return await new Promise<T>((resolve, reject) => {
      const transaction = database.transaction(storeName, mode);
      const request = run(transaction.objectStore(storeName));
      transaction.addEventListener('complete', () => resolve(request.result));
      transaction.addEventListener('abort', () => reject(transaction.error ?? new Error('aborted')));
    });
  } finally {
    database.close();
  }
}

function openDatabase(): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(databaseName, 1);
    request.addEventListener('upgradeneeded', () => request.result.createObjectStore(storeName));
    request.addEventListener('success', () => resolve(request.result));
    request.addEventListener('error', () => reject(request.error ?? new Error('not opened')));
  });
}
