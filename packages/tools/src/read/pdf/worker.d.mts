/** Where the file is, if it is imported as one. */
declare const path: string;
export default path;
