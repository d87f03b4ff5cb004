import { measureHere } from '../measure/in-thread.ts';
import { intel } from './intel.ts';

await measureHere(intel);
