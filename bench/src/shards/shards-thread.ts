import { measureHere } from '../measure/in-thread.ts';
import { shards } from './shards.ts';

await measureHere(shards);
