/* Show a folder through a file system that waits before each answer, as a network does.
 *
 *     slow_disk FOLDER MOUNTPOINT MICROSECONDS
 *
 * Read only. Runs until it is unmounted, in the foreground, with up to 64 answers under way at once.
 */
#define FUSE_USE_VERSION FUSE_MAKE_VERSION(3, 12)
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fuse.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static const char *folder;
static struct timespec delay;

static const char *real(const char *path, char *buffer) {
    nanosleep(&delay, NULL);
    snprintf(buffer, PATH_MAX, "%s%s", folder, path);
    return buffer;
}

static int slow_getattr(const char *path, struct stat *status, struct fuse_file_info *file) {
    char buffer[PATH_MAX];
    (void)file;
    return lstat(real(path, buffer), status) ? -errno : 0;
}

static int slow_readlink(const char *path, char *target, size_t size) {
    char buffer[PATH_MAX];
    ssize_t length = readlink(real(path, buffer), target, size - 1);
    if (length < 0) return -errno;
    target[length] = 0;
    return 0;
}

static int slow_readdir(const char *path, void *names, fuse_fill_dir_t fill, off_t offset,
                        struct fuse_file_info *file, enum fuse_readdir_flags flags) {
    char buffer[PATH_MAX];
    struct dirent *entry;
    DIR *listing = opendir(real(path, buffer));
    (void)offset, (void)file, (void)flags;
    if (!listing) return -errno;
    while ((entry = readdir(listing))) {
        struct stat status = {.st_ino = entry->d_ino, .st_mode = entry->d_type << 12};
        fill(names, entry->d_name, &status, 0, 0);
    }
    closedir(listing);
    return 0;
}

static int slow_open(const char *path, struct fuse_file_info *file) {
    char buffer[PATH_MAX];
    int opened = open(real(path, buffer), file->flags);
    if (opened < 0) return -errno;
    file->fh = opened;
    return 0;
}

static int slow_read(const char *path, char *bytes, size_t size, off_t offset, struct fuse_file_info *file) {
    ssize_t count;
    (void)path;
    nanosleep(&delay, NULL);
    count = pread(file->fh, bytes, size, offset);
    return count < 0 ? -errno : count;
}

static int slow_release(const char *path, struct fuse_file_info *file) {
    (void)path;
    return close(file->fh);
}

static void *slow_init(struct fuse_conn_info *connection, struct fuse_config *config) {
    connection->want &= ~FUSE_CAP_READDIRPLUS;
    config->use_ino = 1;
    return NULL;
}

static const struct fuse_operations operations = {
    .getattr = slow_getattr, .readlink = slow_readlink, .readdir = slow_readdir, .open = slow_open,
    .read = slow_read,       .release = slow_release,   .init = slow_init,
};

int main(int count, char **words) {
    char *fuse_words[] = {words[0], count > 2 ? words[2] : "", "-f", "-o", "ro,max_threads=64,max_idle_threads=64"};
    if (count != 4 || !(folder = realpath(words[1], NULL))) {
        fprintf(stderr, "usage: slow_disk FOLDER MOUNTPOINT MICROSECONDS\n");
        return 2;
    }
    delay.tv_nsec = 1000L * atol(words[3]);
    return fuse_main(5, fuse_words, &operations, NULL);
}
