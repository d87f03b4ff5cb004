import { entityStatesConformance } from '../../../conformance/entity-states-conformance.ts';
import { MemoryEntityStates } from '../../../src/store/checkpoint/memory-entity-states.ts';

entityStatesConformance('memory', async () => ({
  states: new MemoryEntityStates(),
  other: new MemoryEntityStates(),
  on: undefined,
  rows: async ({ rows }: MemoryEntityStates) => rows,
}));
