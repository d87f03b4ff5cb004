const nobody = 65_534;

/** Does `work` as a user without rights, for rights do not stop root. */
export async function withoutRights<Result>(work: () => Promise<Result>): Promise<Result> {
  const isRoot = process.getuid?.() === 0;
  if (isRoot) process.seteuid!(nobody);
  try {
    return await work();
  } finally {
    if (isRoot) process.seteuid!(0);
  }
}
