// Marks the format of Outlook items.

/** Name of the stream with the properties of fixed size ([MS-OXMSG] 2.4), which only this format has. */
export const PROPERTIES = "__properties_version1.0";
