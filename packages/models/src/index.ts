export { artifactFormat, type ModelArtifact, type ModelInput, type ModelTree, type ScoreTable } from './artifact.ts';
export { Ensemble } from './ensemble.ts';
export { artifactBytesMax, costMax, depthMax, inputsMax } from './limits.ts';
export { exponential, probabilityOf } from './logistic.ts';
export { type ModelMistake, type ModelResult, mistakeText } from './mistakes.ts';
export { readArtifact } from './read-artifact.ts';
export { scoreMax, scoreOf } from './score.ts';
export { costOf } from './tree-depths.ts';
export { writeArtifact } from './write-artifact.ts';
