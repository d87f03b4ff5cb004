import { recordStoreConformance } from '../conformance/store-conformance.ts';
import { MemoryRecordStore } from '../src/memory-record-store.ts';

const store = new MemoryRecordStore();

recordStoreConformance('memory', () => Promise.resolve(store));
