export { logConformance } from './log-conformance.ts';
export { entry, offsetOf, TestClock } from './log-harness.ts';
export { recordStoreConformance } from './store-conformance.ts';
