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

export function readRecord(): Promise<DeviceRecord | undefined> {
  return inStore('readonly', (store) => store.get(recordKey) as IDBRequest<DeviceRecord | undefined>);
}

/**
 * Keeps the record unless there is one; answers the one that is kept. One transaction: of two tabs that come at once,
 * both get the record of the first.
 */
export async function keepRecord(record: DeviceRecord): Promise<DeviceRecord> {
  let kept = record;
  await inStore('readwrite', (store) => {
    const request = store.get(recordKey) as IDBRequest<DeviceRecord | undefined>;
    request.addEventListener('success', () => {
      if (request.result === undefined) store.put(record, recordKey);
      else kept = request.result;
    });
    return request;
  });
  return kept;
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
