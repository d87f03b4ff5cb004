import { measureHere } from '../measure/in-thread.ts';
import { growth } from './growth.ts';

await measureHere(growth);
