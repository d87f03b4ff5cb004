export {
  artifactFormat,
  type Calibration,
  type ModelArtifact,
  type ModelInput,
  type ModelPopulation,
  type ModelTree,
  type PopulationBins,
  type ScoreTable,
} from './artifact.ts';
export { calibratedProbability } from './calibrated.ts';
export { Ensemble } from './ensemble.ts';
export { Explainer, type Explanation } from './explain.ts';
export { artifactBytesMax, costMax, depthMax, inputsMax } from './limits.ts';
export { exponential, probabilityOf } from './logistic.ts';
export { type ModelMistake, type ModelResult, mistakeText } from './mistakes.ts';
export { readArtifact } from './read-artifact.ts';
export { scoreMax, scoreOf } from './score.ts';
export { sha256 } from './sha256.ts';
export { costOf } from './tree-depths.ts';
export { type CalibrationBin, calibrationBins, calibrationError, joinedBins } from './measures/calibration.ts';
export { type CostPoint, costCurve, type OperatingPoint, operatingPoints } from './measures/curves.ts';
export { areaUnderRoc, averagePrecision } from './measures/discrimination.ts';
export { cardPrecision } from './measures/card-precision.ts';
export { rank, type Ranking, worstOfEach } from './measures/ranking.ts';
export { scoreTable } from './measures/score-table.ts';
export {
  choiceFrom,
  type ThresholdChoice,
  thresholdForAlerts,
  thresholdForLegitimate,
} from './measures/threshold-choice.ts';
export {
  inputPopulation,
  populationBin,
  stabilityAlarms,
  stabilityIndex,
  stabilityValuesMin,
  stabilityWarns,
} from './measures/stability.ts';
export { foldMeasures, modelCard, type FoldCard, type ModelCard } from './training/model-card.ts';
export { isKept, rowWeight, type Sampling } from './training/sampling.ts';
export { settingBounds, trainingDefaults, type TrainingSettings } from './training/settings.ts';
export { alertBudgets, type BudgetCheck, type CheckedWeek, validate, type Validation } from './training/validation.ts';
export { timeFolds, type TimeFold } from './training/split.ts';
export { type Monotone } from './training/bins.ts';
export { tooFewRows } from './training/too-few-rows.ts';
export { boost, type BoostedTrees } from './training/boost.ts';
export { writeArtifact } from './write-artifact.ts';
export type { ImportedInput, ImportedModel, ImportOptions } from './import/imported-model.ts';
export { importLightgbm } from './import/lightgbm.ts';
export { importXgboost } from './import/xgboost.ts';
export { importOnnx } from './import/onnx.ts';
