// Optional content membership (ISO 32000-1, 8.11.2.2), whatever a group is to the caller.

/**
 * Whether content that belongs to several groups is shown.
 * @param policy P of the membership dictionary (table 99); AnyOn is the default
 * @param groups at least one
 */
export function isShownBy<G>(policy: string | undefined, groups: readonly G[], isOn: (group: G) => boolean): boolean {
  switch (policy) {
    case "AllOn":
      return groups.every(isOn);
    case "AnyOff":
      return !groups.every(isOn);
    case "AllOff":
      return !groups.some(isOn);
    default:
      return groups.some(isOn);
  }
}
