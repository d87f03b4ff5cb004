import type { EntityBounds } from '../../src/features/store/layout.ts';

/** Small, so that short histories exceed them. */
export const bounds: EntityBounds = { rowsMax: 32, exactBucketsMax: 4, distinctValuesMax: 3, sweepRowsMin: 4 };
