import { logConformance } from '../conformance/log-conformance.ts';
import { MemoryLog } from '../src/memory-log.ts';

logConformance('memory', {
  open: (clock, rangeRecords) => Promise.resolve(new MemoryLog({ clock: clock.read, rangeRecords })),
  beginLife: async (log) => log.beginLife(),
  closePartition: async (log, partition) => log.closePartition(partition),
});
