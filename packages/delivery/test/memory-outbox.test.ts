import { deliveriesConformance } from '../conformance/deliveries-conformance.ts';
import { outboxConformance } from '../conformance/outbox-conformance.ts';
import { MemoryOutbox } from '../src/memory-outbox.ts';

const harness = { open: () => Promise.resolve(new MemoryOutbox()) };

outboxConformance('memory', harness);
deliveriesConformance('memory', harness);
