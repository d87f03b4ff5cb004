import { measureHere } from '../measure/in-thread.ts';
import { grown } from './grown.ts';

await measureHere(grown);
