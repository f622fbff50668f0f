export type { DiskChange, DiskName, NodeId } from './disk-change.ts';
export { DiskHistory, type DiskStop } from './disk-history.ts';
export { type FaultyFileSystem, type FileFault, type FileOperation, faultyFileSystem } from './faulty-file-system.ts';
export type { FileFactsPort, FileSystemPort, OpenFilePort } from './file-system-port.ts';
export { type DiskNode, type FileContent, type FileNode, type FolderNode, MemoryDisk } from './memory-disk.ts';
export { type MemoryFileSystem, type MemoryFileSystemOptions, memoryFileSystem } from './memory-file-system.ts';
export { systemError } from './system-error.ts';
