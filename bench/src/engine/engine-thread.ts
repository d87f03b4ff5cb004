import { measureHere } from '../measure/in-thread.ts';
import { engine } from './engine.ts';

await measureHere(engine);
