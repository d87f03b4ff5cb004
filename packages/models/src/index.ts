export { artifactFormat, type ModelArtifact, type ModelInput, type ModelTree, type ScoreTable } from './artifact.ts';
