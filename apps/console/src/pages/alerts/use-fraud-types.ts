import { fraudTypes } from '@ringfence/contract';
import { useTranslation } from 'react-i18next';
import { useWorkspace } from '../../api/use-workspace.ts';

/** The types of fraud of this workspace with their names: its own first. */
export function useFraudTypes(): readonly { readonly value: string; readonly label: string }[] {
  const { t } = useTranslation();
  const own = useWorkspace()?.settings.outcomes?.fraudTypes ?? [];
  return [
    ...own.map(({ code, name }) => ({ value: code, label: name })),
    ...fraudTypes.map((value) => ({ value, label: t(`fraudTypes.${value}`) })),
  ];
}

/** Names a type of fraud; one that the workspace does not have, by its code. */
export function useFraudTypeName(): (type: string) => string {
  const types = useFraudTypes();
  return (type) => types.find(({ value }) => value === type)?.label ?? type;
}
